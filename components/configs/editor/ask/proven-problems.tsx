'use client'
// Renders nothing, so that the editor loads the search only when it is used.
import type { Problem } from '@signalbox/core'
import { useEffect } from 'react'
import type { Analysis } from '../document/analysis.ts'

export interface Proven {
  readonly text: string
  /** Warnings, in the places of the flat document. */
  readonly problems: readonly Problem[]
}

const REST_MS = 500

/** Searches again when the text rests. A text with errors has no runs to look for. */
export function ProvenProblems({
  analysis: { text, document, errors },
  onFound,
}: {
  readonly analysis: Analysis
  readonly onFound: (proven: Proven) => void
}) {
  const asked = errors === 0 && document !== null ? JSON.stringify(document) : ''
  useEffect(() => {
    if (asked === '') return
    let worker: Worker | null = null
    const timer = setTimeout(() => {
      worker = new Worker(new URL('./lint-worker.ts', import.meta.url))
      worker.addEventListener('message', ({ data }: MessageEvent<readonly Problem[]>) => {
        onFound({ text, problems: data })
        worker?.terminate()
      })
      // Without the chunk there are no such warnings; the next change of the text tries again.
      worker.addEventListener('error', () => worker?.terminate())
      worker.postMessage(JSON.parse(asked))
    }, REST_MS)
    return () => {
      clearTimeout(timer)
      worker?.terminate()
    }
  }, [asked, text, onFound])
  return null
}
