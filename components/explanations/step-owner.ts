import type { UnblockStep } from '@signalbox/core/analysis'

export const OWNER_WORD = {
  agent: 'agent',
  operator: 'operator',
  config: 'config change',
} as const satisfies Record<UnblockStep['owner'], string>
