import type { UnblockStep } from '@signalbox/core/analysis'

export const OWNER_WORD = {
  agent: 'agent',
  operator: 'needs an operator',
  config: 'needs a config change',
} as const satisfies Record<UnblockStep['owner'], string>
