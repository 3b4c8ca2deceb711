'use client'

import { countText } from '@signalbox/core/analysis'
import { LinkTabs } from '@/components/ui/link-tabs.tsx'
import type { AlertSummary } from '@/server/alerts/recommended.ts'
import { useAlertSummary } from './use-alert-summary.ts'

interface Tab {
  readonly href: string
  readonly name: string
  readonly count: (summary: AlertSummary) => number
  readonly counted: string
}

const TABS = [
  {
    href: '/alerts',
    name: 'Alerts',
    count: ({ firing, acknowledged, muted }) => firing + acknowledged + muted,
    // The list below also has resolved alerts.
    counted: ' unresolved',
  },
  { href: '/alerts/rules', name: 'Rules', count: ({ rules }) => rules, counted: '' },
  {
    href: '/alerts/destinations',
    name: 'Destinations',
    count: ({ destinations }) => destinations,
    counted: '',
  },
] as const satisfies readonly Tab[]

export function AlertTabs({ shown }: { readonly shown: (typeof TABS)[number]['name'] }) {
  const summary = useAlertSummary()
  return (
    <LinkTabs
      label="Alerts"
      tabs={TABS.map(({ href, name, count, counted }) => ({
        href,
        name,
        // The dash keeps the place of the count until it is known.
        count: `${summary === undefined ? '–' : countText(count(summary))}${counted}`,
      }))}
      current={TABS.findIndex(({ name }) => name === shown)}
    />
  )
}
