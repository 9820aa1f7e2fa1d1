// Reads lines of `ID MILLISECONDS` and checks the ids with the package uuid.
const uuid = require("uuid");
const lines = require("fs").readFileSync(0, "utf8").trim().split("\n");
let last = "";
for (const line of lines) {
  const [id, millis] = line.split(" ");
  const time = parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  if (!uuid.validate(id) || uuid.version(id) !== 7) throw new Error(`not a UUID: ${id}`);
  if (Math.abs(time - Number(millis)) > 1000) throw new Error(`wrong time: ${line}`);
  if (id <= last) throw new Error(`${id} comes before ${last}`);
  last = id;
}
console.log(`${lines.length} ids are UUIDs of version 7, in order.`);
