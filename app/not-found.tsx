import type { Metadata } from 'next'
import { NothingHere } from '@/components/search/nothing-here.tsx'

export const metadata: Metadata = { title: 'Page not found' }

export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <NothingHere />
    </main>
  )
}
