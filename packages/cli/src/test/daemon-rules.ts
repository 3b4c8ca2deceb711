import type { ConfigDocument } from '@signalbox/core'

export const RULES: ConfigDocument = {
  schema_version: 1,
  ns: 'team',
  key: 'coder',
  policies: [
    { id: 'run-first', type: 'sequential_dependency', dependencies: { write_file: ['shell'] } },
  ],
}
