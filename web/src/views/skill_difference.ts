// Which lines two skills share, by the longest common subsequence.
import type { Skill } from "../types";

export interface Line { text: string; mark: "" | "left" | "right" }

export function lines(skill: Skill): string[] {
  return [
    ...skill.steps.map((step) => `${step.tool}: ${step.action}`),
    ...Object.keys(skill.parameters?.properties as object ?? skill.parameters ?? {}).map((name) => `parameter ${name}`),
    ...(skill.expected_outcome ? [`outcome: ${skill.expected_outcome}`] : []),
  ];
}

// Both columns, with the lines that the other one lacks marked.
export function difference(left: string[], right: string[]): [Line[], Line[]] {
  const length: number[][] = Array.from({ length: left.length + 1 }, () => new Array(right.length + 1).fill(0));
  for (let i = left.length - 1; i >= 0; --i) {
    for (let j = right.length - 1; j >= 0; --j) {
      length[i][j] = left[i] === right[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const result: [Line[], Line[]] = [[], []];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      result[0].push({ text: left[i++], mark: "" });
      result[1].push({ text: right[j++], mark: "" });
    } else if (j >= right.length || (i < left.length && length[i + 1][j] >= length[i][j + 1])) {
      result[0].push({ text: left[i++], mark: "left" });
    } else {
      result[1].push({ text: right[j++], mark: "right" });
    }
  }
  return result;
}
