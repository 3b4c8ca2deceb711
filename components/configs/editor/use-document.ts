'use client'
// Once CodeMirror is loaded, it owns the text and its undo history; until then, and in tests, the text is plain state.
import { type ExpressionRules, isJsonObject, type JsonObject, omitUndefined } from '@signalbox/core'
import { type ConfigChange, diffConfigs } from '@signalbox/core/analysis'
import { parseConfigText } from '@signalbox/wire'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { applyEdit, type TextEdit } from '@/components/kit/diff/json-edit.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { AskedCondition } from '@/server/configs/check-conditions.ts'
import { type KnownBases, NO_BASES, readExtends } from '@/server/configs/config-text-input.ts'
import { type Analysis, type AnalyzedPlace, analyze } from './document/analysis.ts'
import { ConditionAnswers } from './document/condition-answers.ts'
import type { EditorHandle } from './json-editor.tsx'

export interface EditorDocument {
  readonly text: string
  /** Null: the text was never a JSON object. */
  readonly value: JsonObject | null
  /** True: the text is no JSON object, and the form shows an earlier one. */
  readonly isFrozen: boolean
  readonly handle: RefObject<EditorHandle | null>
  readonly isLoaded: boolean
  readonly onLoaded: () => void
  /** The current text, even before React has rendered it. */
  readonly newest: () => string
  readonly onText: (text: string) => void
  readonly edit: (make: (text: string) => TextEdit | null, typed?: boolean) => void
  readonly replaceAll: (text: string) => void
}

function readObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    // Invalid JSON is a normal state of the editor, shown by its problems.
    return null
  }
}

export function useDocument(initialText: string): EditorDocument {
  const [doc, setDoc] = useState(() => {
    const value = readObject(initialText)
    return { text: initialText, value, isFrozen: value === null }
  })
  const handle = useRef<EditorHandle | null>(null)
  const [isLoaded, setLoaded] = useState(false)
  // Several edits may happen in one event, before React renders the first.
  const newest = useRef(initialText)
  const onText = (text: string): void => {
    newest.current = text
    const value = readObject(text)
    setDoc((before) => ({ text, value: value ?? before.value, isFrozen: value === null }))
  }
  return {
    ...doc,
    handle,
    isLoaded,
    onLoaded: () => setLoaded(true),
    newest: () => newest.current,
    onText,
    edit(make, typed = false) {
      const edit = make(newest.current)
      if (edit === null) return
      if (handle.current === null) onText(applyEdit(newest.current, edit))
      else handle.current.apply(edit, typed)
    },
    replaceAll(text) {
      if (handle.current === null) onText(text)
      else handle.current.replaceAll(text)
    },
  }
}

/** Analysis takes 30 ms with 500 rules and 65 ms with hundreds of problems, so that problems appear within 200 ms. */
const PAUSE_MS = 100

interface Conditions {
  readonly rules: ExpressionRules
  /** Asks the server about the conditions that the last analysis met first. */
  readonly ask: () => void
}

function useConditions(): Conditions {
  const client = useTRPCClient()
  const [answers] = useState(() => new ConditionAnswers())
  const [rules, setRules] = useState(() => answers.createRules())
  const ask = useCallback(() => {
    const conditions = answers.takeOpen()
    if (conditions.length === 0) return
    client.configs.checkConditions.query({ conditions: toInput(conditions) }).then(
      (messages) => {
        answers.add(conditions, messages)
        setRules(answers.createRules())
      },
      // Without an answer, the server checks conditions on save; the next change of the text asks again.
      () => undefined,
    )
  }, [answers, client])
  return { rules, ask }
}

function toInput(conditions: readonly AskedCondition[]) {
  return conditions.map(({ source, variables }) => ({
    source,
    variables: variables === null ? null : [...variables],
  }))
}

/** Undefined: the base that the text extends is not loaded yet. */
function useBases(text: string): KnownBases | undefined {
  const trpc = useTRPC()
  const reference = useMemo(() => readExtends(text), [text])
  const { data } = useQuery({
    ...trpc.configs.base.queryOptions({ reference: reference ?? '' }),
    enabled: reference !== null,
  })
  return useMemo(() => {
    if (reference === null) return NO_BASES
    if (data === undefined) return undefined
    return new Map(data === null ? [] : [[reference, data] as const])
  }, [reference, data])
}

export function useAnalysis(text: string, place: Omit<AnalyzedPlace, 'expressions'>): Analysis {
  const { ns, key, customTypes, activity = null, proven = null } = place
  const { rules: expressions, ask } = useConditions()
  const bases = useBases(text)
  const [{ analysis, rests, reader, known, told }, setDone] = useState(() => ({
    analysis: analyze(text, { ...place, expressions, ...omitUndefined({ bases }) }),
    rests: activity,
    reader: expressions,
    known: bases,
    told: proven,
  }))
  useEffect(() => {
    const isSame =
      rests === activity && reader === expressions && known === bases && told === proven
    if (analysis.text === text && isSame) return
    const work = () => {
      const place = {
        ...{ ns, key, customTypes, activity, expressions, proven },
        ...omitUndefined({ bases }),
      }
      setDone({
        analysis: analyze(text, place),
        rests: activity,
        reader: expressions,
        known: bases,
        told: proven,
      })
    }
    const timer = setTimeout(work, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [
    analysis.text,
    rests,
    reader,
    known,
    told,
    proven,
    expressions,
    bases,
    text,
    ns,
    key,
    customTypes,
    activity,
  ])
  useEffect(() => {
    // The analysis collects the conditions.
    if (analysis.text === text) ask()
  }, [analysis, text, ask])
  return analysis
}

/** Null: the draft is no valid config. */
export function useChanges(
  analysis: Analysis,
  liveText: string | null,
): readonly ConfigChange[] | null {
  const { document, inherited } = analysis
  return useMemo(() => {
    if (document === null) return null
    const live = liveText === null ? null : parseConfigText(liveText)
    const before = live?.ok === true ? live.document : null
    return diffConfigs(before, document, inherited?.origins)
  }, [document, inherited, liveText])
}
