import { LinkTabs } from '@/components/ui/link-tabs.tsx'

const TABS = [
  { href: '/alerts', name: 'Alerts' },
  { href: '/alerts/rules', name: 'Rules' },
] as const

export function AlertTabs({ shown }: { readonly shown: (typeof TABS)[number]['name'] }) {
  return (
    <LinkTabs label="Alerts" tabs={TABS} current={TABS.findIndex(({ name }) => name === shown)} />
  )
}
