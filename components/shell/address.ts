// Delays navigation until the address of the current page is complete. Choices on a page are written to its address up to 50 ms later,
// several at once. Navigation before that would be reverted by the write, and Back would lead to a page without the choice.
'use client'

import { useRouter } from 'next/navigation'

let written: Promise<unknown> = Promise.resolve()

/** Registers the promise of a change of the address. */
export function writesAddress(writing: Promise<unknown>): void {
  written = writing
}

/** Opens another page once the address contains every choice made on this one. */
export function useGo(): (path: string) => void {
  const router = useRouter()
  return (path) => void written.then(() => router.push(path))
}
