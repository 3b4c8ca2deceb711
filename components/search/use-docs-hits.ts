'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

/** Characters of the text that the documentation is searched for. */
const MOST_SEARCHED = 200

interface DocsLink {
  readonly address: string
  /** Page, and the heading on it. */
  readonly title: string
  readonly excerpt: string
}

/** The best pages of the documentation first. Empty for an empty text; null until the first answer. */
export function useDocsHits(text: string): readonly DocsLink[] | null {
  const trpc = useTRPC()
  const q = text.trim().slice(0, MOST_SEARCHED)
  const { data, isError } = useQuery(
    trpc.docs.find.queryOptions(
      { q },
      { enabled: q !== '', placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY },
    ),
  )
  if (q === '' || isError) return []
  if (data === undefined) return null
  return data.map(({ address, page, heading, excerpt }) => ({
    address,
    title: heading === page ? page : `${page} › ${heading}`,
    excerpt,
  }))
}
