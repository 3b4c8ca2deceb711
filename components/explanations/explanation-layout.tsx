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
import type { Neighbors } from '@/server/explanations/neighbors.sql.ts'
import { createExplanationSteps, type Direction, type StepPlace } from './explanation-steps.ts'

const linkedPage = (path: string): Linked => linkedAt(path, openPage().title)

export function CopyLinkButton({ path }: { readonly path: string }) {
  return (
    <Button onClick={() => copyLink(linkedPage(path))} className="no-print max-sm:hidden">
      <Link2 aria-hidden size={16} />
      Copy link <Kbd>c</Kbd>
    </Button>
  )
}

export interface ExplanationKeysProps {
  readonly page: string
  readonly path: string
  readonly noun: string
  readonly beside: Neighbors
  /** Path before the id: `/stops/`. */
  readonly base: string
}

// The previous page unmounts before the next one loads, so waiting steps are stored outside of both.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for another path.
  useEffect(() => {
    // Also runs when the transition ends on the same page, because another navigation replaced it.
    if (!isGoing) arrive()
  }, [path, isGoing])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for another path.
  useEffect(() => () => leave(), [path])
  return (direction) => steps.step(place, direction)
}

/** Leads to the previous and next decision, by button and by key. Lists are newest first, so `j` goes back in time. */
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
