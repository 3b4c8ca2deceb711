'use client'

import { parseAsBoolean, parseAsString, useQueryState } from 'nuqs'
import { useState } from 'react'
import { writesAddress } from '@/components/shell/address.ts'
import type { Peeking } from './peek-action.ts'

export interface RowPlace extends Peeking {
  /** Id of the selected row; null: none. */
  readonly chosen: string | null
  readonly choose: (id: string) => void
}

/** The peek does not change to a row that `canPeek` rejects. */
export function usePeekedRow(canPeek: (id: string) => boolean = () => true): RowPlace {
  const [shown, setShown] = useQueryState('peek', parseAsString)
  const [chosen, setChosen] = useState(shown)
  const show = (id: string | null): void => {
    if (id === null || canPeek(id)) writesAddress(setShown(id))
  }
  return {
    shown,
    show,
    chosen,
    choose: (id) => {
      setChosen(id)
      if (shown !== null) show(id)
    },
  }
}

export function useChosenRow(): RowPlace {
  const [row, setRow] = useQueryState('row', parseAsString)
  const [isPeeking, setPeeking] = useQueryState('peek', parseAsBoolean.withDefault(false))
  const choose = (id: string): void => writesAddress(setRow(id))
  return {
    shown: isPeeking ? row : null,
    show: (id) => {
      if (id !== null) choose(id)
      void setPeeking(id !== null || null)
    },
    chosen: row,
    choose,
  }
}
