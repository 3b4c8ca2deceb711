import type { Metadata } from 'next'
import { SigningKey } from '@/components/signing-keys/signing-key.tsx'

export const metadata: Metadata = { title: 'Settings · signing key' }

export default function SigningKeyPage() {
  return <SigningKey />
}
