// Shown in place of a list without rows: the filter that matches none, or a description of the rows to come.
'use client'

import { AllEnvironmentsButton, useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { Button } from '@/components/ui/button.tsx'
import { EmptyState } from '@/components/ui/states.tsx'

export function NothingListed({
  state: { isFiltered, clear },
  filtered,
  never,
}: {
  readonly state: { readonly isFiltered: boolean; readonly clear: () => void }
  readonly filtered: string
  /** Sentence without its period, because the environment follows. */
  readonly never: string
}) {
  const environment = useEnvironment()
  return (
    <EmptyState
      title={
        isFiltered ? filtered : `${never}${environment === undefined ? '' : ` in ${environment}`}.`
      }
      action={
        <>
          {isFiltered ? <Button onClick={clear}>Clear filter</Button> : null}
          <AllEnvironmentsButton />
        </>
      }
    />
  )
}
