// Steps to another page that wait for the address of this one. What is chosen on a page is written into its address a moment later, all
// choices of 50 ms at once; a step that was made before would be taken back by it, and Back would lead to a page without the choice.
'use client'

import { useRouter } from 'next/navigation'

let written: Promise<unknown> = Promise.resolve()

/** Registers the promise that a change of the address returned. */
export function writesAddress(writing: Promise<unknown>): void {
  written = writing
}

/** Leads to another page once the address has everything that was chosen on this one. */
export function useGo(): (path: string) => void {
  const router = useRouter()
  return (path) => void written.then(() => router.push(path))
}
