// Shown when the root layout fails. Without this file, Next.js loads a page of its own with every page, as a separate chunk.
'use client'
import './globals.css'
import type { ComponentProps } from 'react'
import PageError from './error.tsx'

export default function LayoutError(props: ComponentProps<typeof PageError>) {
  return (
    <html lang="en">
      <body>
        <PageError {...props} />
      </body>
    </html>
  )
}
