// The sessions list's filter, all of it in the URL.
'use client'

import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import type { SessionFilter } from '@/server/read-models/session-list.ts'

const STATUSES = ['running', 'ended', 'lost'] as const
const VERDICTS = ['denied', 'blocked', 'bypassed', 'warning'] as const

export type StatusChoice = (typeof STATUSES)[number]
export type VerdictChoice = (typeof VERDICTS)[number]

export interface FilterState {
  readonly filter: SessionFilter
  readonly status: StatusChoice | null
  readonly verdict: VerdictChoice | null
  /** `ns/key` */
  readonly prompt: string | null
  readonly isFiltered: boolean
  readonly setStatus: (status: StatusChoice | null) => void
  readonly setVerdict: (verdict: VerdictChoice | null) => void
  readonly setPrompt: (prompt: string | null) => void
  readonly clear: () => void
}

function splitPrompt(prompt: string) {
  const at = prompt.lastIndexOf('/')
  return { ns: prompt.slice(0, Math.max(0, at)), key: prompt.slice(at + 1) }
}

export function useSessionFilter(): FilterState {
  const environment = useEnvironment()
  const [{ status, verdict, prompt }, set] = useQueryStates({
    status: parseAsStringLiteral(STATUSES),
    verdict: parseAsStringLiteral(VERDICTS),
    prompt: parseAsString,
  })
  const filter = useMemo<SessionFilter>(
    () => ({
      ...(environment === undefined ? {} : { environment }),
      ...(status === null ? {} : { status }),
      ...(verdict === null ? {} : { verdict }),
      ...(prompt === null ? {} : { prompt: splitPrompt(prompt) }),
    }),
    [environment, status, verdict, prompt],
  )
  return {
    filter,
    status,
    verdict,
    prompt,
    isFiltered: Object.keys(filter).length > 0,
    setStatus: (next) => void set({ status: next }),
    setVerdict: (next) => void set({ verdict: next }),
    setPrompt: (next) => void set({ prompt: next }),
    clear: () => void set({ status: null, verdict: null, prompt: null }),
  }
}
