// Layout shared by every page about a decision: its address, and the previous and next decision.
'use client'

import { ChevronDown, ChevronUp, Link2 } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useEffectEvent, useTransition } from 'react'
import {
  copyLink,
  type Linked,
  linkedAt,
  linkKeys,
  openPage,
} from '@/components/kit/list/copy-link.ts'
import { withoutPrefix } from '@/components/paths/prefix.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import type { Neighbours } from '@/server/explanations/neighbours.sql.ts'
import { createExplanationSteps, type Direction, type StepPlace } from './explanation-steps.ts'

/** The page of a decision in any view, with its sentence as the title. */
const linkedPage = (path: string): Linked => linkedAt(path, openPage().title)

/** Copies the address of this page in any view. The key `c` does the same. */
export function CopyLinkButton({ path }: { readonly path: string }) {
  return (
    <Button onClick={() => copyLink(linkedPage(path))} className="no-print">
      <Link2 aria-hidden size={16} />
      Copy link <Kbd>c</Kbd>
    </Button>
  )
}

export interface ExplanationKeysProps {
  /** `stop`; the sheet lists the keys under it. */
  readonly page: string
  readonly path: string
  /** Noun for the neighbors: "blocked stop". */
  readonly noun: string
  readonly beside: Neighbours
  /** `/stops/` */
  readonly base: string
}

// The page that leads goes before the page that it leads to has come, so what waits is remembered beside them.
const stepsWith = createExplanationSteps()

function useStep({ path, base, beside }: ExplanationKeysProps): (direction: Direction) => void {
  const router = useRouter()
  const place: StepPlace = {
    path,
    buildPath: (direction) => (beside[direction] === null ? null : `${base}${beside[direction]}`),
  }
  const [isGoing, startGoing] = useTransition()
  const steps = stepsWith((to) => startGoing(() => router.push(to)))
  const arrive = useEffectEvent((): void => steps.arrive(place))
  const leave = useEffectEvent((): void => steps.leave(withoutPrefix(window.location.pathname)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another page.
  useEffect(() => {
    // Also when the reader stays because another page was opened meanwhile.
    if (!isGoing) arrive()
  }, [path, isGoing])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  useEffect(() => () => leave(), [path])
  return (direction) => steps.step(place, direction)
}

/** To the one before and the one after in time, by button and by key; lists stand newest first, so `j` goes back in time. */
export function ExplanationNeighbors(props: ExplanationKeysProps) {
  const { page, path, noun, beside } = props
  const step = useStep(props)
  usePageKeys(page, [
    { keys: 'j', shown: 'j', does: `next ${noun} (older)`, run: () => step('older') },
    { keys: 'k', shown: 'k', does: `previous ${noun} (newer)`, run: () => step('newer') },
    ...linkKeys('this page', () => linkedPage(path)),
  ])
  usePageActions(
    [
      { name: `Previous ${noun} (newer)`, to: 'newer' as const },
      { name: `Next ${noun} (older)`, to: 'older' as const },
    ].map(({ name, to }) => ({
      name,
      run: () => step(to),
      refusal: beside[to] === null ? `There is no ${to} ${noun}.` : undefined,
    })),
  )
  return (
    <fieldset className="no-print flex items-center gap-1">
      <legend className="sr-only">Other {noun}s</legend>
      <Step
        id={beside.newer}
        label={`Previous ${noun} (newer)`}
        none={`There is no newer ${noun}.`}
        onGo={() => step('newer')}
      >
        <ChevronUp aria-hidden size={16} /> <Kbd>k</Kbd>
      </Step>
      <Step
        id={beside.older}
        label={`Next ${noun} (older)`}
        none={`There is no older ${noun}.`}
        onGo={() => step('older')}
      >
        <ChevronDown aria-hidden size={16} /> <Kbd>j</Kbd>
      </Step>
    </fieldset>
  )
}

function Step({
  id,
  label,
  none,
  onGo,
  children,
}: {
  readonly id: string | null
  readonly label: string
  readonly none: string
  readonly onGo: () => void
  readonly children: ReactNode
}) {
  return (
    <ReasonedButton
      aria-label={label}
      isAllowed={id !== null}
      reason={id === null ? none : null}
      onClick={onGo}
    >
      {children}
    </ReasonedButton>
  )
}
