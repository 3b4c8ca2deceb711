'use client'
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
