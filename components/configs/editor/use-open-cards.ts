// A few rules begin open; many begin as one line each, so that the page stays fast.
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { useMemo, useState } from 'react'
import type { FormApi } from './form/form-context.tsx'

export type OpenCards = Pick<FormApi, 'isOpen' | 'setOpen'>

const MANY = 40

export function useOpenCards(value: JsonObject | null): OpenCards {
  const isLarge = useMemo(() => value !== null && rulesIn(value) > MANY, [value])
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  return {
    isOpen: (pointer) => chosen.get(pointer) ?? !isLarge,
    setOpen: (pointer, open) => setChosen((before) => new Map([...before, [pointer, open]])),
  }
}

function rulesIn(value: JsonValue): number {
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value
    return items.reduce<number>((sum, item) => sum + rulesIn(item), 0)
  }
  if (!isJsonObject(value)) return 0
  const own = typeof value['type'] === 'string' ? 1 : 0
  return Object.values(value).reduce<number>((sum, inner) => sum + rulesIn(inner), own)
}
