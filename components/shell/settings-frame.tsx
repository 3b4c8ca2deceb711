'use client'

import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { LinkTabs } from '@/components/ui/link-tabs.tsx'
import { PageHeader } from './page-header.tsx'
import { SETTINGS_PAGES } from './settings-pages.ts'

export function SettingsFrame({ children }: { readonly children: ReactNode }) {
  const path = usePathname()
  return (
    <>
      <PageHeader title="Settings" />
      <LinkTabs
        label="Settings"
        tabs={SETTINGS_PAGES}
        current={SETTINGS_PAGES.findIndex(({ href }) => path.startsWith(href))}
      />
      <div className="flex flex-col gap-3 p-4">{children}</div>
    </>
  )
}
