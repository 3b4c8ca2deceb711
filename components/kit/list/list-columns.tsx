'use client'

import { createContext, type ReactNode, useContext, useState } from 'react'
import { setCookie } from '@/components/shell/set-cookie.ts'
import { COOKIE_PREFIX, type ColumnChoices } from './column-choices.ts'
import type { FaceHead } from './list-face.tsx'

interface Chosen {
  readonly choices: ColumnChoices
  readonly choose: (list: string, columns: readonly string[]) => void
}

const Context = createContext<Chosen>({ choices: {}, choose: () => undefined })

export function ColumnsProvider({
  start,
  children,
}: {
  readonly start: ColumnChoices
  readonly children: ReactNode
}) {
  const [choices, setChoices] = useState(start)
  const choose = (list: string, columns: readonly string[]): void => {
    setCookie(`${COOKIE_PREFIX}${list}`, columns.join(','))
    setChoices((before) => ({ ...before, [list]: columns }))
  }
  return <Context value={{ choices, choose }}>{children}</Context>
}

/** The lead is always shown; names that the list no longer has are ignored. */
export function useColumns({ name, shown, lead, columns }: FaceHead): readonly string[] {
  const chosen = useContext(Context).choices[name] ?? shown
  return columns.map((column) => column.name).filter((one) => one === lead || chosen.includes(one))
}

export function useChooseColumns(): Chosen['choose'] {
  return useContext(Context).choose
}
