// Compares our Needle with independent implementations that run the same
// files: its tokens with the SentencePiece library, its network with ONNX
// Runtime.
// Usage: node needle_check.js WRITE_NEEDLE MODEL_FOLDER WORK_FOLDER

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const ort = require('onnxruntime-node');
const { SentencePieceProcessor } = require('sentencepiece-js');

const [program, modelFolder, workFolder] = process.argv.slice(2);

const tool = (name, description, parameters) => ({ name, description, parameters });
const parameter = (type, description, required = true) => ({ type, description, required });
const weather = tool('get_weather', 'Get the current weather for a city.', { location: parameter('string', 'City name.') });
const alarm = tool('set_alarm', 'Set an alarm.', {
  time: parameter('string', 'Time as HH:MM.'), label: parameter('string', 'What it is for.', false),
});
const mail = tool('send_email', 'Send an email.', {
  to: parameter('string', 'Address.'), subject: parameter('string', 'Subject.'), body: parameter('string', 'Text.'),
});
const convert = tool('convert_currency', 'Convert an amount of money.', {
  amount: parameter('number', 'Amount.'), from: parameter('string', 'Currency code.'), to: parameter('string', 'Currency code.'),
});
const all = [weather, alarm, mail, convert];
const requests = [
  ['What is the weather in San Francisco?', [weather]],
  ['Wake me up at 6:45 for the train', all],
  ['Convert 120.50 USD to EUR', all],
  ['Email ana@example.org about the budget: we meet at noon', all],
  ['Tell me a joke about compilers', all],
  ['天气 in Zürich & Genève?', [weather, convert]],
].map(([query, tools]) => ({ query, tools: JSON.stringify(tools) }));

const texts = [
  '', ' ', '   ', 'a', ' a  b   c ', 'Hello, world!', 'tab\tnew\nline\r\nend', '▁', '▁a▁', 'a▁ b', '  ▁ x',
  '<tools>', 'x<tool_call>y <tools> z', '<tool_call', '<s></s><pad><unk><0x41>', '{"a":{"b":[1,2.5,-3e7,null,true]}}',
  'Crème Brûlée à la carte, ÀÉÎÕÜ ñ ç ø ß Œ İstanbul', '天气怎么样？今天の天気 날씨 café日本語', 'emoji 😀👩‍👩‍👧 🇩🇪 𝔘𝔫𝔦 ﬁ ½ ™ €',
  'Ελληνικά Кириллица العربية עברית हिन्दी ไทย', '\u0000\u0001\u007f\u200b\ufeff\u2028\u3000\u00a0', 'x'.repeat(300), 'ab '.repeat(200),
  'https://example.org/a/b?c=d&e=f#g C:\\Windows\\x.txt', '2026-11-18T01:02:03Z 1,000,000 0xFF $5.00 (50%)',
  ...requests.flatMap(({ query, tools }) => [query, tools]),
];
// Random texts: words, symbols and characters of many scripts.
let state = 12345;
const random = (n) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor((state / 2147483648) * n); };
const parts = [' ', ' ', '  ', '"', '":"', '","', '{"', '}}', '.', ',', '\n', 'the', 'name', 'description', 'type', 'Set', 'é', '😀', '中', '▁',
  '<tools>', '0', '17', '2024', 'ing', 'tion', 'Q', 'z', 'ы', '\\', "'s", 'required', 'true', '[', ']', '€', '\u0301'];
for (let i = 0; i < 2000; ++i) {
  let text = '';
  for (let n = random(40); n > 0; --n) text += parts[random(parts.length)];
  texts.push(text);
}

async function main() {
  const asked = path.join(workFolder, 'asked.json');
  fs.writeFileSync(asked, JSON.stringify({ texts, requests }));
  const ours = JSON.parse(execFileSync(program, [modelFolder, asked], { maxBuffer: 1 << 30 }));

  const pieces = new SentencePieceProcessor();
  await pieces.load(path.join(modelFolder, 'tokenizer/needle.model'));
  texts.forEach((text, i) => {
    const expected = pieces.encodeIds(text);
    assert.deepStrictEqual(ours.tokens[i] ?? [], expected, `tokens of ${JSON.stringify(text)}`);
    assert.strictEqual(ours.decoded[i], pieces.decodeIds(expected), `text of ${JSON.stringify(text)}`);
  });
  console.log(`${texts.length} texts: all tokens are those of SentencePiece`);

  const options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  const encoder = await ort.InferenceSession.create(path.join(modelFolder, 'needle_encoder_fp16.onnx'), options);
  const decoder = await ort.InferenceSession.create(path.join(modelFolder, 'needle_decoder_fp16.onnx'), options);
  const half = (bits) => {
    const sign = bits & 0x8000 ? -1 : 1, e = (bits >> 10) & 31, f = bits & 1023;
    return e === 0 ? sign * f * 2 ** -24 : sign * (1 + f / 1024) * 2 ** (e - 15);
  };
  const integers = (values) => new ort.Tensor('int32', Int32Array.from(values), [1, values.length]);
  const floats = (tensor) => (tensor.type === 'float16' ? Array.from(tensor.data, half) : Array.from(tensor.data));
  let worstHidden = 0, worstScore = 0, seconds = 0;
  for (const [i, { query }] of requests.entries()) {
    const expectedInput = [...pieces.encodeIds(query), 5, ...pieces.encodeIds(requests[i].tools)];
    assert.deepStrictEqual(ours.inputs[i], expectedInput);
    const begin = process.hrtime.bigint();
    const hidden = (await encoder.run({ encoder_input_ids: integers(ours.inputs[i]) })).encoder_hidden_states;
    floats(hidden).forEach((x, k) => { worstHidden = Math.max(worstHidden, Math.abs(x - ours.hidden[i][k])); });
    const written = [1];
    for (let step = 0; step < 256; ++step) {
      const { logits } = await decoder.run({ decoder_input_ids: integers(written), encoder_hidden_states: hidden });
      const scores = floats(logits).slice(-8192);
      if (i === 0) {
        scores.forEach((x, k) => { worstScore = Math.max(worstScore, Math.abs(x - ours.scores[step][k])); });
      }
      const best = scores.indexOf(Math.max(...scores));
      if (best === 1) break;
      written.push(best);
    }
    seconds += Number(process.hrtime.bigint() - begin) / 1e9;
    assert.deepStrictEqual(ours.outputs[i] ?? [], written.slice(1), `output for ${query}`);
    console.log(`${query} -> ${pieces.decodeIds(written.slice(1))}`);
  }
  console.log(`largest difference: ${worstHidden.toFixed(4)} in the encoder's output, ${worstScore.toFixed(4)} in the scores`);
  const ourSeconds = ours.seconds.reduce((a, b) => a + b);
  console.log(`seconds per request on one thread: ${(ourSeconds / requests.length).toFixed(3)} ours, ` +
    `${(seconds / requests.length).toFixed(3)} ONNX Runtime without a KV cache`);
  // The files have 16-bit floats and ONNX Runtime rounds every result to them.
  assert(worstHidden < 0.05 && worstScore < 0.2);
}
main().catch((error) => { console.error(error); process.exit(1); });
