'use client'
import { useRouter } from 'next/navigation'
import { configPath } from '@/components/paths/config-path.ts'
import { Button } from '@/components/ui/button.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { type Example, keepExample } from './example-store.ts'

export function OpenExample({ example }: { readonly example: Example }) {
  const router = useRouter()
  const open = (): void => {
    if (keepExample(example)) router.push(`${configPath(example.ns, example.key)}/example`)
    else toast.error('The storage of this browser tab is full, so the session cannot be opened.')
  }
  return <Button onClick={open}>Open as session</Button>
}
