'use client'
// Button that changes what an environment runs. If the user may not, it shows the server's reason.
import type { ComponentProps } from 'react'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { useReleaseRight } from './release-right.ts'

export function ReleaseButton({
  environment,
  ...props
}: Omit<ComponentProps<typeof ReasonedButton>, 'isAllowed' | 'reason'> & {
  readonly environment: string
}) {
  return <ReasonedButton {...props} {...useReleaseRight(environment)} />
}
