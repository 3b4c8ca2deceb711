'use client'

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { ShownAnnotation } from '@/server/annotations/annotations.ts'

export interface Annotations {
  readonly sessionId: string
  /** Oldest first; undefined: not loaded. */
  readonly all: readonly ShownAnnotation[] | undefined
  readonly error: string | null
  readonly retry: () => void
  readonly bySeq: ReadonlyMap<number, readonly ShownAnnotation[]>
}

const NOTHING: readonly ShownAnnotation[] = []

export function useAnnotations(sessionId: string): Annotations {
  const trpc = useTRPC()
  const query = useQuery(trpc.annotations.list.queryOptions({ sessionId }))
  useReadOnChange({ kind: 'annotation', id: sessionId }, query)
  const { data, error, refetch } = query
  const bySeq = useMemo(() => {
    const found = new Map<number, ShownAnnotation[]>()
    for (const annotation of data ?? NOTHING) {
      if (annotation.seq === null) continue
      const those = found.get(annotation.seq) ?? []
      found.set(annotation.seq, [...those, annotation])
    }
    return found
  }, [data])
  const why = error?.message ?? null
  return { sessionId, all: data, error: why, retry: () => void refetch(), bySeq }
}

export function useAnnotationRight() {
  return useRight('editor')
}

/** Oldest first. */
export function annotationsOn(
  { bySeq }: Pick<Annotations, 'bySeq'>,
  seqs: readonly number[],
): readonly ShownAnnotation[] {
  return seqs.flatMap((seq) => bySeq.get(seq) ?? NOTHING)
}
