'use client'
// The pages of Settings share a title and a row of links.
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Link } from '@/components/ui/link.tsx'
import { cn } from '../ui/class-names.ts'
import { PageHeader } from '../ui/page-header.tsx'

const PAGES = [
  { href: '/settings/keys', name: 'API keys' },
  { href: '/settings/signing-key', name: 'Signing key' },
  { href: '/settings/users', name: 'Users' },
  { href: '/settings/environments', name: 'Environments' },
  { href: '/settings/projects', name: 'Projects' },
  { href: '/settings/profile', name: 'Profile' },
  { href: '/settings/retention', name: 'Retention' },
  { href: '/settings/redaction', name: 'Redaction' },
  { href: '/settings/audit', name: 'Audit log' },
  { href: '/settings/api', name: 'API' },
] as const

export function SettingsFrame({ children }: { readonly children: ReactNode }) {
  const path = usePathname()
  return (
    <>
      <PageHeader title="Settings" />
      <nav
        aria-label="Settings"
        className="flex shrink-0 gap-1 overflow-x-auto border-border border-b bg-surface px-2"
      >
        {PAGES.map(({ href, name }) => (
          <Link
            key={href}
            href={href}
            aria-current={path.startsWith(href) ? 'page' : undefined}
            className={cn(
              '-mb-px flex h-9 items-center whitespace-nowrap border-transparent border-b-2 px-2 text-text-2 hover:text-text',
              path.startsWith(href) && 'border-text font-medium text-text',
            )}
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="flex flex-col gap-3 p-4">{children}</div>
    </>
  )
}
