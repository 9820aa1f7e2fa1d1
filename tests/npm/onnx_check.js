// Runs the models that write_onnx wrote and compares their outputs with the expected
// ones.
const fs = require("fs");
const path = require("path");
const ort = require("onnxruntime-node");

const folder = process.argv[2];

function largestError(ours, theirs, mayBeNan) {
  if (ours.length !== theirs.length) return Infinity;
  let largest = 0;
  for (let i = 0; i < ours.length; ++i) {
    if (mayBeNan && Number.isNaN(theirs[i])) continue;
    const error = Math.abs(ours[i] - theirs[i]) / (1 + Math.abs(ours[i]));
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

async function main() {
  const cases = JSON.parse(fs.readFileSync(path.join(folder, "cases.json"), "utf8"));
  let failed = 0;
  for (const each of cases) {
    try {
      const session = await ort.InferenceSession.create(path.join(folder, each.file),
        { logSeverityLevel: 3 });
      for (const step of each.steps) {
        const feeds = {};
        for (const [name, input] of Object.entries(step.inputs)) {
          if (!session.inputNames.includes(name)) continue;
          feeds[name] = new ort.Tensor("float32", Float32Array.from(input.values), input.shape);
        }
        const results = await session.run(feeds);
        for (const [name, output] of Object.entries(step.outputs)) {
          const error = largestError(output.values, results[name].data,
            each.name.startsWith("lstm")); // ONNX has only the last cell.
          const shape = JSON.stringify(results[name].dims.map(Number));
          if (!(error <= 2e-5) || shape !== JSON.stringify(output.shape)) {
            throw new Error(`${name} differs by ${error}; shape ${shape}, expected ${JSON.stringify(output.shape)}`);
          }
        }
      }
    } catch (error) {
      ++failed;
      console.log(`${each.name}: ${error.message}`);
    }
  }
  console.log(`${cases.length - failed} of ${cases.length} models match ONNX Runtime.`);
  process.exit(failed === 0 ? 0 : 1);
}

main();
