import { listEntries } from '../model/persistent-map.ts'
import type { SessionState } from '../model/state.ts'

export interface OpenCall {
  readonly callId: string
  readonly tool: string
  readonly seq: number
  /** Denied calls stay open until their end is recorded. */
  readonly stands: 'allowed' | 'denied' | 'waits for a reviewer'
}

/** In order of their requests. */
export function openCalls(state: SessionState): readonly OpenCall[] {
  return listEntries(state.pending)
    .map(([callId, { tool, seq, denied, approval }]): OpenCall => {
      const stands = approval !== null ? 'waits for a reviewer' : denied ? 'denied' : 'allowed'
      return { callId, tool, seq, stands }
    })
    .sort((a, b) => a.seq - b.seq)
}
