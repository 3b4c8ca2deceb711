// Rules for a harness's own tools: they deny a write before the first shell command.
import type { ConfigDocument } from '@signalbox/core'

export const RULES: ConfigDocument = {
  schema_version: 1,
  ns: 'team',
  key: 'coder',
  policies: [
    { id: 'run-first', type: 'sequential_dependency', dependencies: { write_file: ['shell'] } },
  ],
}
