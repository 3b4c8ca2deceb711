'use client'

import { Button } from '@/components/ui/button.tsx'
import { signOut } from './account.ts'

export function SignOutButton() {
  return (
    <Button className="mt-3" onClick={() => void signOut()}>
      Sign out
    </Button>
  )
}
