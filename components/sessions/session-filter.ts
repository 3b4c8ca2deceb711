// The sessions list's filter, all of it in the URL.
'use client'

import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import type { SessionFilter } from '@/server/read-models/session-list.ts'

const STATUSES = ['running', 'ended', 'lost'] as const
const ENFORCED = ['not', 'fully'] as const
const VERDICTS = ['denied', 'blocked', 'bypassed', 'warning'] as const

export type StatusChoice = (typeof STATUSES)[number]
export type VerdictChoice = (typeof VERDICTS)[number]
export type EnforcedChoice = (typeof ENFORCED)[number]

export interface FilterState {
  readonly filter: SessionFilter
  readonly status: StatusChoice | null
  readonly verdict: VerdictChoice | null
  readonly enforced: EnforcedChoice | null
  /** `ns/key` */
  readonly prompt: string | null
  readonly isFiltered: boolean
  readonly setStatus: (status: StatusChoice | null) => void
  readonly setVerdict: (verdict: VerdictChoice | null) => void
  readonly setEnforced: (enforced: EnforcedChoice | null) => void
  readonly setPrompt: (prompt: string | null) => void
  readonly clear: () => void
}

function splitPrompt(prompt: string) {
  const at = prompt.lastIndexOf('/')
  return { ns: prompt.slice(0, Math.max(0, at)), key: prompt.slice(at + 1) }
}

export function useSessionFilter(): FilterState {
  const environment = useEnvironment()
  const [{ status, verdict, enforced, prompt, runtime }, set] = useQueryStates({
    status: parseAsStringLiteral(STATUSES),
    verdict: parseAsStringLiteral(VERDICTS),
    enforced: parseAsStringLiteral(ENFORCED),
    prompt: parseAsString,
    runtime: parseAsString,
  })
  const filter = useMemo<SessionFilter>(
    () => ({
      ...(environment === undefined ? {} : { environment }),
      ...(status === null ? {} : { status }),
      ...(verdict === null ? {} : { verdict }),
      ...(enforced === null ? {} : { enforced }),
      ...(prompt === null ? {} : { prompt: splitPrompt(prompt) }),
      ...(runtime === null ? {} : { runtime }),
    }),
    [environment, status, verdict, enforced, prompt, runtime],
  )
  return {
    filter,
    status,
    verdict,
    enforced,
    prompt,
    isFiltered: Object.keys(filter).length > 0,
    setStatus: (next) => void set({ status: next }),
    setVerdict: (next) => void set({ verdict: next }),
    setEnforced: (next) => void set({ enforced: next }),
    setPrompt: (next) => void set({ prompt: next }),
    clear: () =>
      void set({ status: null, verdict: null, enforced: null, prompt: null, runtime: null }),
  }
}
