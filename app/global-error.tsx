// Shown when the root layout fails. Without this file, Next.js loads a page of its own with every page, as a separate chunk.
'use client'
import './globals.css'
import type { ComponentProps } from 'react'
import PageError from './error.tsx'

export default function LayoutError(props: ComponentProps<typeof PageError>) {
  // The theme that the layout chose. Its provider may be the part that failed, so it is not used here.
  const look = typeof document === 'undefined' ? '' : document.documentElement.className
  return (
    <html lang="en" className={look} suppressHydrationWarning>
      <body>
        <PageError {...props} />
      </body>
    </html>
  )
}
