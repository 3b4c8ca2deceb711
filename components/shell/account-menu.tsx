'use client'
// Bottom of the rail: theme, time zone, who is signed in, sign out.
import { useQuery } from '@tanstack/react-query'
import { LogOut, Moon, Sun } from 'lucide-react'
import { useTheme } from 'next-themes'
import { useTRPC } from '../trpc-provider.tsx'
import { IconButton } from '../ui/button.tsx'
import { useZone } from '../ui/time.tsx'
import { flipZone } from './zone-cookie.ts'

export function AccountMenu() {
  const trpc = useTRPC()
  const { data } = useQuery({ ...trpc.members.me.queryOptions(), staleTime: 60_000 })
  const zone = useZone()
  return (
    <div className="flex flex-col items-center gap-1 border-border border-t pt-2 lg:flex-row lg:flex-wrap">
      <span
        className="hidden min-w-0 flex-1 truncate px-2 text-small text-text-2 lg:inline"
        title={data?.role}
      >
        {data?.name ?? ''}
      </span>
      <ThemeButton />
      <IconButton label="Sign out" onClick={() => void signOut()}>
        <LogOut size={16} aria-hidden />
      </IconButton>
      <button
        type="button"
        onClick={() => flipZone(zone)}
        title="Switch between UTC and your own time zone"
        className="hidden h-6 w-full truncate rounded-control px-2 text-left text-micro text-text-3 hover:bg-surface-2 lg:block"
      >
        Times in {zone}
      </button>
    </div>
  )
}

function ThemeButton() {
  const { resolvedTheme, setTheme } = useTheme()
  return (
    <IconButton
      label="Switch between light and dark"
      onClick={() => setTheme(resolvedTheme === 'dark' ? 'light' : 'dark')}
    >
      <Sun size={16} className="dark:hidden" aria-hidden />
      <Moon size={16} className="hidden dark:block" aria-hidden />
    </IconButton>
  )
}

async function signOut(): Promise<void> {
  await fetch('/api/auth/sign-out', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  window.location.assign('/login')
}
