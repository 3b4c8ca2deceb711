// Dangerous actions open their dialog; none runs from the palette.
'use client'

import { useEffect, useEffectEvent } from 'react'
import { pageList } from './page-list.ts'

export interface PageAction {
  readonly name: string
  readonly run: () => void
  /** Reason why the action is not possible now; absent: it is. */
  readonly refusal?: string | undefined
}

const pageActions = pageList<PageAction>()

export const useListedActions = pageActions.useItems

/** `actions` may be new at every render. */
export function usePageActions(actions: readonly PageAction[]): void {
  const run = useEffectEvent((name: string) => actions.find((one) => one.name === name)?.run())
  const offered = JSON.stringify(actions.map(({ name, refusal = null }) => [name, refusal]))
  useEffect(() => {
    // `offered` has this type before it is serialized.
    const parsed = JSON.parse(offered) as readonly (readonly [string, string | null])[]
    const items = parsed.map(([name, refusal]) => ({
      name,
      refusal: refusal ?? undefined,
      run: () => run(name),
    }))
    return pageActions.add(items)
  }, [offered])
}
