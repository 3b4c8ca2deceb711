'use client'

import { countText } from '@signalbox/core/analysis'
import { ChevronDown, ChevronUp, Search as SearchIcon } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react'
import { IconButton } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { BADGE_CLASS, TOGGLE_CLASS } from './rows/event-look.ts'
import type { Search } from './use-search.ts'

export interface SearchBoxProps {
  readonly input: RefObject<HTMLInputElement | null>
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly search: Search
  /** False: some events are not loaded yet, so there may be more matches. */
  readonly isWhole: boolean
  /** Position of the selected row among the matches, from 1; null: the row is no match. */
  readonly place: number | null
  /** Returns false if there is no match in this direction. */
  readonly onStep: (direction: 1 | -1) => boolean
  readonly isOnly: boolean
  readonly onOnly: () => void
}

function describeMatches({ search, place }: SearchBoxProps, isComplete: boolean): string {
  const { matched, isCut } = search
  if (matched === null) return ''
  const total = `${countText(matched.length)}${isCut ? '+' : ''}`
  const of = place === null ? total : `${countText(place)} of ${total}`
  return `${of} ${matched.length === 1 && !isCut ? 'match' : 'matches'}${isComplete ? '' : ' …'}`
}

interface DelayedStep {
  readonly direction: 1 | -1
  readonly query: string
}

/** Without a match while the search is not complete, delays the step until one is found. Typing again discards it. */
function useSteps(
  { query, onStep }: SearchBoxProps,
  { isBehind, isComplete }: { readonly isBehind: boolean; readonly isComplete: boolean },
): (direction: 1 | -1) => void {
  const [delayed, setDelayed] = useState<DelayedStep | null>(null)
  const take = (direction: 1 | -1): boolean => !isBehind && onStep(direction)
  useEffect(() => {
    if (delayed === null) return
    if (delayed.query !== query || take(delayed.direction) || isComplete) setDelayed(null)
  })
  return (direction) => setDelayed(take(direction) || isComplete ? null : { direction, query })
}

export function SearchBox(props: SearchBoxProps) {
  const { input, query, onQuery, search, isWhole, isOnly, onOnly } = props
  const isBehind = search.query !== query
  const isComplete = !isBehind && !search.isSearching && isWhole
  const step = useSteps(props, { isBehind, isComplete })
  const { matched, problem } = search
  const handleKey = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      event.preventDefault()
      event.currentTarget.blur()
    } else if (event.key === 'Enter') {
      event.preventDefault()
      step(event.shiftKey ? -1 : 1)
    }
  }
  return (
    <search className="flex flex-wrap items-center gap-2 max-sm:w-full">
      <div className="relative max-sm:w-full">
        <SearchIcon
          aria-hidden
          className="absolute top-1.5 left-2 size-4 text-text-3 max-sm:top-2.5"
        />
        <input
          ref={input}
          type="search"
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={handleKey}
          placeholder="tool:bash dur:>4s"
          aria-label="Search this session"
          aria-invalid={problem !== null}
          aria-describedby="search-result"
          className="h-7 w-64 rounded-control border border-border-strong bg-surface pr-7 pl-8 text-body placeholder:text-text-3 max-sm:h-9 max-sm:w-full"
        />
        <span className="absolute inset-y-0 right-1.5 flex items-center max-sm:hidden">
          <Kbd>/</Kbd>
        </span>
      </div>
      {matched === null ? null : (
        <>
          <IconButton label="Previous match (N)" onClick={() => step(-1)}>
            <ChevronUp aria-hidden size={16} />
          </IconButton>
          <IconButton label="Next match (n)" onClick={() => step(1)}>
            <ChevronDown aria-hidden size={16} />
          </IconButton>
          <button
            type="button"
            aria-pressed={isOnly}
            onClick={onOnly}
            className={`${TOGGLE_CLASS} ${BADGE_CLASS.neutral}`}
          >
            Only matches <Kbd>o</Kbd>
          </button>
        </>
      )}
      <span
        id="search-result"
        role={problem === null ? 'status' : 'alert'}
        className={
          problem === null ? 'text-small text-text-2 tabular-nums' : 'text-small text-warning-fg'
        }
      >
        {problem ?? describeMatches(props, isComplete)}
      </span>
    </search>
  )
}
