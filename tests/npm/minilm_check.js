// Compares our MiniLM with independent implementations: its tokens with those
// of the tokenizers library, its vectors with ONNX Runtime, for which this
// script writes the model as an ONNX file.
// Usage: node minilm_check.js WRITE_EMBEDDINGS MODEL_FOLDER WORK_FOLDER

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const ort = require('onnxruntime-node');
const { Tokenizer } = require('@anush008/tokenizers');

const [program, modelFolder, workFolder] = process.argv.slice(2);

const sentences = [
  'Convert a CSV file to JSON.',
  'The quick brown fox jumps over the lazy dog.',
  'What is the weather in Oslo? Email it to ana@example.org',
  'Summarize the open issues of a GitHub repository and write a short report with links.',
  'hello',
  'Restart the billing service on web-3, wait until it is healthy, and then tell the on-call channel.',
];
const trickyTexts = [
  'Crème Brûlée à la carte, ÀÉÎÕÜ ñ ç ø ß ẞ Œ İstanbul ıssız',
  '天气怎么样？今天的天気 날씨 café日本語mixed',
  'tab\tnew\nline\rform\u000cfeed\u0000nul\u200bzero\u00adsoft\ufeffbom\u2028sep\u3000wide\u00a0nbsp',
  "don't stop-believing_it's $5.00 (50% off!) #hash @at x^2+y~z `code` |pipe| <tag/>",
  'emoji 😀👩‍👩‍👧 flags 🇩🇪 math 𝔘𝔫𝔦 ﬁligature ½ ² ™ № €',
  'supercalifragilisticexpialidocious pneumonoultramicroscopicsilicovolcanoconiosis',
  'x'.repeat(100) + ' ' + 'y'.repeat(101) + ' ' + 'é'.repeat(100),
  'Ελληνικά ΣΊΣΥΦΟΣ Кириллица ёй Українська ї العربية مُحَمَّد עברית שָׁלוֹם हिन्दी ไทย',
  '«quotes» “curly” ‘single’ — em – en … ¿qué? ¡hola! 、。「」・',
  'a\u0301 e\u0308 n\u0303 combining \u0301alone',
  'UPPER lower MiXeD 1234567890 3.14159 1,000,000 0xFF 2026-11-18T01:02:03Z',
  'https://example.org/a/b?c=d&e=f#g C:\\Windows\\x.txt /usr/lib ~/.config',
  '\ue000private \ufffdreplacement \u0378unassigned',
  '', ' ', '\n\n', '...',
  'word '.repeat(400),
];

// The fields of a protobuf message: integers, bytes or texts.
function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const real = (field, value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), bytes]);
};
const bytes = (field, value) => {
  const data = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(data.length), data]);
};
const all = (...parts) => Buffer.concat(parts);

function readSafetensors(file) {
  const data = fs.readFileSync(file);
  const headerSize = Number(data.readBigUInt64LE(0));
  const header = JSON.parse(data.subarray(8, 8 + headerSize));
  const half = (bits) => {
    const sign = bits & 0x8000 ? -1 : 1, e = (bits >> 10) & 31, f = bits & 1023;
    return e === 0 ? sign * f * 2 ** -24 : sign * (1 + f / 1024) * 2 ** (e - 15);
  };
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [begin, end] = [] }] of Object.entries(header)) {
    if (dtype !== 'F16') continue;
    const raw = data.subarray(8 + headerSize + begin, 8 + headerSize + end);
    const values = new Float32Array(raw.length / 2);
    for (let i = 0; i < values.length; ++i) values[i] = half(raw.readUInt16LE(2 * i));
    tensors[name] = { shape, values };
  }
  return tensors;
}

function makeOnnx(tensors, config) {
  const nodes = [], constants = [];
  let count = 0;
  const constant = (type, shape, data) => {
    const name = `c${count++}`;
    constants.push(bytes(5, all(...shape.map((n) => number(1, n)), number(2, type), bytes(8, name), bytes(9, data))));
    return name;
  };
  const weight = (name) => constant(1, tensors[name].shape, Buffer.from(tensors[name].values.buffer));
  const integers = (values) => constant(7, [values.length], Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer));
  const op = (type, inputs, attributes = {}) => {
    const output = `n${count++}`;
    const fields = Object.entries(attributes).map(([name, value]) => bytes(5, Array.isArray(value)
      ? all(bytes(1, name), ...value.map((v) => number(8, v)), number(20, 7))
      : Number.isInteger(value) ? all(bytes(1, name), number(3, value), number(20, 2))
        : all(bytes(1, name), real(2, value), number(20, 1))));
    nodes.push(bytes(1, all(...inputs.map((i) => bytes(1, i)), bytes(2, output), bytes(4, type), ...fields)));
    return output;
  };
  const norm = (x, name) => op('LayerNormalization', [x, weight(`${name}.weight`), weight(`${name}.bias`)],
    { axis: -1, epsilon: config.layer_norm_eps });
  const linear = (x, name) => op('Gemm', [x, weight(`${name}.weight`), weight(`${name}.bias`)], { transB: 1 });

  const heads = config.num_attention_heads, size = config.hidden_size / heads;
  const split = integers([0, heads, size]), join = integers([0, config.hidden_size]);
  const part = (x, perm) => op('Transpose', [op('Reshape', [x, split])], { perm });
  const typeTensor = tensors['embeddings.token_type_embeddings.weight'];
  const type = constant(1, [config.hidden_size], Buffer.from(typeTensor.values.buffer, 0, 4 * config.hidden_size));
  let x = op('Add', [op('Gather', [weight('embeddings.word_embeddings.weight'), 'ids']),
    op('Gather', [weight('embeddings.position_embeddings.weight'), 'places'])]);
  x = norm(op('Add', [x, type]), 'embeddings.LayerNorm');
  const factor = constant(1, [1], Buffer.from(Float32Array.of(1 / Math.sqrt(size)).buffer));
  for (let i = 0; i < config.num_hidden_layers; ++i) {
    const name = `encoder.layer.${i}.`, self = `${name}attention.self.`, after = `${name}attention.output.`;
    const q = part(linear(x, `${self}query`), [1, 0, 2]), k = part(linear(x, `${self}key`), [1, 2, 0]);
    const v = part(linear(x, `${self}value`), [1, 0, 2]);
    const scores = op('Softmax', [op('Mul', [op('MatMul', [q, k]), factor])], { axis: -1 });
    const heard = op('Reshape', [op('Transpose', [op('MatMul', [scores, v])], { perm: [1, 0, 2] }), join]);
    x = norm(op('Add', [x, linear(heard, `${after}dense`)]), `${after}LayerNorm`);
    const wide = op('Gelu', [linear(x, `${name}intermediate.dense`)]);
    x = norm(op('Add', [x, linear(wide, `${name}output.dense`)]), `${name}output.LayerNorm`);
  }
  const output = op('ReduceMean', [x, integers([0])], { keepdims: 0 });
  const value = (name, type, dims) => all(bytes(1, name), bytes(2, bytes(1, all(number(1, type),
    bytes(2, all(...dims.map((d) => bytes(1, typeof d === 'number' ? number(1, d) : bytes(2, d)))))))));
  const graph = all(...nodes, bytes(2, 'minilm'), ...constants, bytes(11, value('ids', 7, ['t'])),
    bytes(11, value('places', 7, ['t'])), bytes(12, value(output, 1, [config.hidden_size])));
  return { output, file: all(number(1, 9), bytes(7, graph), bytes(8, all(bytes(1, ''), number(2, 20)))) };
}

async function referenceVector(session, output, tokens) {
  const list = (values) => new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [values.length]);
  const result = await session.run({ ids: list(tokens), places: list(tokens.map((_, i) => i)) });
  return result[output].data;
}

const product = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cosine = (a, b) => product(a, b) / Math.sqrt(product(a, a) * product(b, b));

async function main() {
  const texts = [...sentences, ...trickyTexts];
  const textsFile = path.join(workFolder, 'texts.json');
  fs.writeFileSync(textsFile, JSON.stringify(texts));
  const run = (file) => JSON.parse(execFileSync(program, [modelFolder, file], { maxBuffer: 1 << 28 }));
  const ours = run(textsFile);

  const tokenizer = Tokenizer.fromFile(path.join(modelFolder, 'tokenizer.json'));
  tokenizer.setTruncation(256);
  tokenizer.setPadding({ maxLength: 0 });
  for (const [i, text] of texts.entries()) {
    const expected = Array.from((await tokenizer.encode(text)).getIds());
    while (expected.at(-1) === 0) expected.pop();
    assert.deepStrictEqual(ours.tokens[i], expected, `tokens of ${JSON.stringify(text)}`);
  }

  const config = JSON.parse(fs.readFileSync(path.join(modelFolder, 'config.json')));
  const { output, file } = makeOnnx(readSafetensors(path.join(modelFolder, 'model.fp16.safetensors')), config);
  const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  let worst = 1;
  for (const [i, tokens] of ours.tokens.entries()) {
    if (tokens.length <= 2) {
      assert(ours.vectors[i].every((x) => x === 0), 'a text without words has a vector of zeros');
      continue;
    }
    const similarity = cosine(ours.vectors[i], await referenceVector(session, output, tokens));
    worst = Math.min(worst, similarity);
    assert(similarity > 1 - 1e-3, `cosine ${similarity} for ${JSON.stringify(texts[i])}`);
  }

  const { scores } = ours;
  console.log('Thresholds on cases that they were not measured on:', scores);
  assert(scores.found >= scores.requests - 1 && scores.abstained >= scores.unrelated - 1);
  assert(scores.duplicates_found >= scores.requests - 2 && scores.false_duplicates === 0);

  fs.writeFileSync(textsFile, JSON.stringify(sentences));
  const tokens = ours.tokens.slice(0, sentences.length);
  const repeats = 20;
  const begin = performance.now();
  for (let r = 0; r < repeats; ++r) {
    for (const list of tokens) await referenceVector(session, output, list);
  }
  const theirs = (performance.now() - begin) / repeats / tokens.length;
  console.log(`${texts.length} texts: all tokens equal, worst cosine ${worst.toFixed(7)}; ` +
    `${(run(textsFile).seconds * 1e3).toFixed(1)} ms per sentence, ONNX Runtime ${theirs.toFixed(1)} ms (one thread)`);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
