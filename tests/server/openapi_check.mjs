// openapi_check.mjs FILE: fails unless the file is a valid OpenAPI 3.1 document.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';

const document = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const validator = new Validator();
const result = await validator.validate(document);
if (!result.valid || validator.version !== '3.1') {
  console.error(JSON.stringify(result.errors, null, 2));
  process.exit(1);
}
console.log(`Valid OpenAPI ${document.openapi} with ` +
            `${Object.keys(document.paths).length} paths.`);
