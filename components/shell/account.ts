'use client'

import { useQuery } from '@tanstack/react-query'
import { useTheme } from 'next-themes'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

/** Undefined: not loaded. */
export function useMe() {
  const trpc = useTRPC()
  return useQuery({ ...trpc.members.me.queryOptions(), staleTime: 60_000 }).data
}

export function useThemeSwitch(): () => void {
  const { resolvedTheme, setTheme } = useTheme()
  return () => setTheme(resolvedTheme === 'dark' ? 'light' : 'dark')
}

/** `next`: address to open after signing out. */
export async function signOut(next = withPrefix('/login')): Promise<void> {
  await fetch(withPrefix('/api/auth/sign-out'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  window.location.assign(next)
}
