'use client'
import { useQuery } from '@tanstack/react-query'
import { FlaskConical, Pin } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { type PinPlace, rulePath } from './pin-place.ts'

const PinDialog = lazyDialog(() => import('./pin-dialog.tsx').then((module) => module.PinDialog))

function casesPath({ ns, prompt }: PinPlace): string {
  return `${configPath(ns, prompt)}/edit?tab=backtest&by=cases`
}

export function PinButtons({ place }: { readonly place: PinPlace }) {
  const trpc = useTRPC()
  const router = useRouter()
  const [asking, setAsking] = useState<'pin' | 'test' | null>(null)
  const pinned = useQuery(trpc.backtests.pinned.queryOptions({ id: place.id }))
  const right = useRight('editor')
  const refusal = right.reason ?? undefined
  const test = (): void => {
    if (pinned.data) router.push(rulePath(place))
    else setAsking('test')
  }
  usePageActions([
    ...(pinned.data ? [] : [{ name: 'Pin as test case…', run: () => setAsking('pin'), refusal }]),
    { name: 'Test a change…', run: test, refusal },
  ])
  return (
    <>
      {pinned.data ? (
        <LinkButton className="no-print" href={casesPath(place)}>
          <Pin size={14} aria-hidden /> Pinned: should be {pinned.data.expected}
        </LinkButton>
      ) : (
        <ReasonedButton
          {...right}
          className="no-print"
          disabled={pinned.data === undefined}
          onClick={() => setAsking('pin')}
        >
          <Pin size={14} aria-hidden /> Pin as test case
        </ReasonedButton>
      )}
      <ReasonedButton
        {...right}
        className="no-print"
        disabled={pinned.data === undefined}
        onClick={test}
      >
        <FlaskConical size={14} aria-hidden /> Test a change
      </ReasonedButton>
      {asking !== null && (
        <PinDialog place={place} isTest={asking === 'test'} onClose={() => setAsking(null)} />
      )}
    </>
  )
}
