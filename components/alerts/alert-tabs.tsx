'use client'

import { countText } from '@signalbox/core/analysis'
import { LinkTabs } from '@/components/ui/link-tabs.tsx'
import type { AlertSummary } from '@/server/alerts/recommended.ts'
import { useAlertSummary } from './use-alert-summary.ts'

interface Tab {
  readonly href: string
  readonly name: string
  readonly count: (summary: AlertSummary) => string
}

const TABS = [
  {
    href: '/alerts',
    name: 'Alerts',
    // The list below also has resolved alerts.
    count: ({ firing, acknowledged }) => `${countText(firing + acknowledged)} unresolved`,
  },
  { href: '/alerts/rules', name: 'Rules', count: ({ rules }) => countText(rules) },
  {
    href: '/alerts/destinations',
    name: 'Destinations',
    count: ({ destinations }) => countText(destinations),
  },
] as const satisfies readonly Tab[]

export function AlertTabs({ shown }: { readonly shown: (typeof TABS)[number]['name'] }) {
  const summary = useAlertSummary()
  return (
    <LinkTabs
      label="Alerts"
      tabs={TABS.map(({ href, name, count }) => ({
        href,
        name,
        count: summary === undefined ? undefined : count(summary),
      }))}
      current={TABS.findIndex(({ name }) => name === shown)}
    />
  )
}
