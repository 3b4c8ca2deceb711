'use client'
// A button that changes the live version of an environment. A user without the right sees where they may release, and who may release
// there.
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
