'use client'

import { useState } from 'react'

export interface Marks {
  readonly ids: ReadonlySet<string>
  readonly toggle: (id: string) => void
  readonly add: (ids: readonly string[]) => void
  readonly clear: () => void
}

function toggled(marked: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set(marked.has(id) ? [...marked].filter((one) => one !== id) : [...marked, id])
}

export function useMarks(): Marks {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  return {
    ids,
    toggle: (id) => setIds((known) => toggled(known, id)),
    add: (more) => setIds((known) => new Set([...known, ...more])),
    clear: () => setIds(new Set()),
  }
}
