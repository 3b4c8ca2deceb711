// What every page about a decision offers: its address, and the ones before and after it.
'use client'

import { ChevronDown, ChevronUp, Link2 } from 'lucide-react'
import { useRouter } from 'next/navigation'
import type { ReactNode } from 'react'
import {
  copyLink,
  type Linked,
  linkedAt,
  linkKeys,
  openPage,
} from '@/components/shell/copy-link.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import type { Neighbours } from '@/server/read-models/neighbours.ts'

/** The page of a decision, whatever view it is in; its sentence is the title. */
const linkedPage = (path: string): Linked => linkedAt(path, openPage().title)

/** Copies the address of this page, whatever view it is in. `c` does the same. */
export function CopyLinkButton({ path }: { readonly path: string }) {
  return (
    <Button onClick={() => copyLink(linkedPage(path))} className="no-print">
      <Link2 aria-hidden size={16} />
      Copy link <Kbd>c</Kbd>
    </Button>
  )
}

export interface AuditKeysProps {
  /** `stop`; the sheet lists the keys under it. */
  readonly page: string
  /** Of the page itself. */
  readonly path: string
  /** What the neighbours are: "blocked stop". */
  readonly noun: string
  readonly beside: Neighbours
  /** `/stops/` */
  readonly base: string
}

/** To the one before and the one after in time, by button and by key; lists stand newest first, so `j` goes back in time. */
export function AuditNeighbours(props: AuditKeysProps) {
  const { page, path, noun, beside, base } = props
  const router = useRouter()
  const go = (id: string | null): void => {
    if (id !== null) router.push(`${base}${id}`)
  }
  usePageKeys(page, [
    { keys: 'j', shown: 'j', does: `next ${noun} (older)`, run: () => go(beside.older) },
    { keys: 'k', shown: 'k', does: `previous ${noun} (newer)`, run: () => go(beside.newer) },
    ...linkKeys('this page', () => linkedPage(path)),
  ])
  usePageActions(
    [
      { name: `Previous ${noun} (newer)`, id: beside.newer, none: `There is no newer ${noun}.` },
      { name: `Next ${noun} (older)`, id: beside.older, none: `There is no older ${noun}.` },
    ].map(({ name, id, none }) => ({
      ...{ name, run: () => go(id), refusal: id === null ? none : undefined },
    })),
  )
  return (
    <fieldset className="no-print flex items-center gap-1">
      <legend className="sr-only">Other {noun}s</legend>
      <Step
        id={beside.newer}
        label={`Previous ${noun} (newer)`}
        none={`There is no newer ${noun}.`}
        onGo={go}
      >
        <ChevronUp aria-hidden size={16} /> <Kbd>k</Kbd>
      </Step>
      <Step
        id={beside.older}
        label={`Next ${noun} (older)`}
        none={`There is no older ${noun}.`}
        onGo={go}
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
  readonly onGo: (id: string | null) => void
  readonly children: ReactNode
}) {
  return (
    <ReasonedButton
      aria-label={label}
      isAllowed={id !== null}
      reason={id === null ? none : null}
      onClick={() => onGo(id)}
    >
      {children}
    </ReasonedButton>
  )
}
