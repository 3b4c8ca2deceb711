// Choices on a page are written to its address up to 50 ms later; navigation before that would be reverted by the write.
'use client'

import { useRouter } from 'next/navigation'

let written: Promise<unknown> = Promise.resolve()

export function writesAddress(writing: Promise<unknown>): void {
  written = writing
}

export function useGo(): (path: string) => void {
  const router = useRouter()
  return (path) => void written.then(() => router.push(path))
}
