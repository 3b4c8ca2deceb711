'use client'
// The difference of two config texts in words.
import { type ConfigChange, diffConfigs } from '@signalbox/core/views'
import { parseConfigText } from '@signalbox/wire'
import { useMemo } from 'react'

/** `from` null: nothing ran before. Null: a text of another build, which cannot be read. */
export function useTextChanges(from: string | null, to: string): readonly ConfigChange[] | null {
  return useMemo(() => {
    const before = from === null ? null : parseConfigText(from)
    const after = parseConfigText(to)
    if (!after.ok || before?.ok === false) return null
    return diffConfigs(before === null ? null : before.document, after.document)
  }, [from, to])
}
