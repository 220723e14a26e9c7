#!/usr/bin/env bash
# nsight_table.sh CSV…: prints the files of profile.sh as one table, with a line for each program and kernel and a
# column for each metric. A kernel's launches are added up; metrics that are not sums (.ratio, .pct, registers) are
# averaged.
set -euo pipefail

for csv in "$@"; do
  program=$(basename "$csv" .csv)
  grep '^"[0-9]' "$csv" | c++filt | awk -F'","' -v program="$program" -v OFS=, '{
    # From a demangled name, take the function without its result, namespaces, template arguments and parameters.
    kernel = $5
    gsub(/\(anonymous namespace\)::/, "", kernel)
    sub(/[<(].*/, "", kernel)
    sub(/.*(::| )/, "", kernel)
    value = $15
    gsub(/[",]/, "", value)
    print program, kernel, $13, value
  }'
done | awk -F, -v OFS=, '
  {
    row = $1 OFS $2
    if (!(row in seen_row)) { seen_row[row] = 1; rows[++row_count] = row }
    if (!($3 in seen_metric)) { seen_metric[$3] = 1; metrics[++metric_count] = $3 }
    sum[row, $3] += $4
    ++count[row, $3]
  }
  END {
    line = "program,kernel,launches"
    for (m = 1; m <= metric_count; ++m) line = line OFS metrics[m]
    print line
    for (r = 1; r <= row_count; ++r) {
      line = rows[r] OFS count[rows[r], metrics[1]]
      for (m = 1; m <= metric_count; ++m) {
        value = sum[rows[r], metrics[m]]
        if (metrics[m] !~ /\.sum$/) value = sprintf("%.2f", value / count[rows[r], metrics[m]])
        line = line OFS value
      }
      print line
    }
  }' OFMT=%.0f CONVFMT=%.0f
