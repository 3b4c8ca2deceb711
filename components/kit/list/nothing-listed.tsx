'use client'

import type { ReactNode } from 'react'
import { AllEnvironmentsButton } from '@/components/shell/environment-switcher.tsx'
import { Button } from '@/components/ui/button.tsx'
import { EmptyState } from '@/components/ui/states.tsx'
import type { CommonFilter } from '@/server/platform/list/define-list.ts'

interface NothingListedProps {
  readonly state: {
    /** With an environment, the list contains its rows only. */
    readonly filter: CommonFilter & { readonly environment?: string | undefined }
    readonly isFiltered: boolean
    readonly clear: () => void
  }
  /** Absent: the list has no filter. */
  readonly filtered?: string
  readonly never: (place: string) => string
  readonly action?: ReactNode
  readonly children?: ReactNode
}

export function NothingListed({ state, filtered, never, action, children }: NothingListedProps) {
  const { environment } = state.filter
  const leave = environment === undefined ? null : <AllEnvironmentsButton />
  if (filtered !== undefined && state.isFiltered) {
    return (
      <EmptyState
        title={filtered}
        action={
          <>
            <Button onClick={state.clear}>Clear filter</Button>
            {leave}
          </>
        }
      />
    )
  }
  return (
    <EmptyState
      title={never(environment === undefined ? '' : ` in ${environment}`)}
      action={
        <>
          {action}
          {leave}
        </>
      }
    >
      {children}
    </EmptyState>
  )
}
