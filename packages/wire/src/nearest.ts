// "Did you mean": the known field name closest to a misspelt one. Core's lint compares names of a document in the same way; wire runs
// no core code.

const FIELDS = [
  'schema_version',
  'ns',
  'key',
  'name',
  'description',
  'aliases',
  'sections',
  'policies',
  'feedback_providers',
  'feedback_exclusive',
  'task_completion_checker',
  'limits',
  'max_stop_blocks',
  'redaction',
  'metadata',
  'id',
  'type',
  'mode',
  'optional',
  'dependencies',
  'read_tools',
  'write_tools',
  'path_params',
  'mount_point',
  'reads_expire_on_change',
  'writes_count_as_reads',
  'trigger',
  'every_n_calls',
  'every_n_seconds',
  'on_file_created',
  'filename',
  'warning_threshold_seconds',
  'feedback',
  'files',
  'checkers',
  'all_must_pass',
  'title',
  'deny_when',
  'require',
  'reason',
  'max_calls',
  'per_seconds',
  'timeout_seconds',
  'max_calls_without_progress',
  'tool',
  'times',
  'after',
  'criteria',
  'require_adapter',
  'params',
  'final_verification',
  'lease',
  'visibility_timeout',
  'watchdog_threshold',
  'max_processing_time',
  'extension',
  'interval',
  'tools',
  'keys',
  'literals',
]

/** null when nothing is close: more than a third of the name would have to change. A known name is in the wrong place, not misspelt. */
export function nearest(name: string): string | null {
  if (FIELDS.includes(name)) return null
  const wanted = name.toLowerCase().replaceAll('-', '_')
  const farthest = Math.floor(name.length / 3)
  let best: { readonly field: string; readonly distance: number } | null = null
  for (const field of FIELDS) {
    // Every added or removed character is a change; a name of 1 MB took seven seconds without this check.
    if (Math.abs(field.length - wanted.length) > farthest) continue
    const distance = computeDistance(wanted, field)
    if (best === null || distance < best.distance) best = { field, distance }
  }
  return best !== null && best.distance <= farthest ? best.field : null
}

/** Levenshtein distance, row by row. */
function computeDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap))
    }
    row = next
  }
  return row[b.length] ?? 0
}
