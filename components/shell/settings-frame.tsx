'use client'

import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { LinkTabs } from '@/components/ui/link-tabs.tsx'
import { PageHeader } from './page-header.tsx'
import { SETTINGS_PAGES } from './settings-pages.ts'

export function SettingsFrame({
  facts = '\u00a0',
  children,
}: {
  /** A sentence with the figures of the page. Absent: not loaded; its line stays empty, so that nothing moves when it appears. */
  readonly facts?: ReactNode
  readonly children: ReactNode
}) {
  const path = usePathname()
  return (
    <>
      <PageHeader title="Settings" facts={facts} />
      <LinkTabs
        label="Settings"
        tabs={SETTINGS_PAGES}
        current={SETTINGS_PAGES.findIndex(({ href }) => path.startsWith(href))}
      />
      <div className="flex flex-col gap-3 p-4">{children}</div>
    </>
  )
}
