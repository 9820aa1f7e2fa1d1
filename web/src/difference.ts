// Which lines two texts share, by the longest common subsequence.

export interface Line { text: string; mark: "" | "left" | "right" }

// All lines of both, with those that the other one lacks marked.
export function unified(left: string[], right: string[]): Line[] {
  const length: number[][] = Array.from({ length: left.length + 1 }, () => new Array(right.length + 1).fill(0));
  for (let i = left.length - 1; i >= 0; --i) {
    for (let j = right.length - 1; j >= 0; --j) {
      length[i][j] = left[i] === right[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const result: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      result.push({ text: left[i++], mark: "" });
      ++j;
    } else if (j >= right.length || (i < left.length && length[i + 1][j] >= length[i][j + 1])) {
      result.push({ text: left[i++], mark: "left" });
    } else {
      result.push({ text: right[j++], mark: "right" });
    }
  }
  return result;
}

// The same as two columns.
export function difference(left: string[], right: string[]): [Line[], Line[]] {
  const all = unified(left, right);
  return [all.filter((line) => line.mark !== "right"), all.filter((line) => line.mark !== "left")];
}
