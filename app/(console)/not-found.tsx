// 404 inside the console's frame, which already has the main element.
import type { Metadata } from 'next'
import { NothingHere } from '@/components/search/nothing-here.tsx'

export const metadata: Metadata = { title: 'Page not found' }

export default function NotFound() {
  return (
    <div className="grid min-h-full place-items-center p-4">
      <NothingHere />
    </div>
  )
}
