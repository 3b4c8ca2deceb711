import './globals.css'
import { GeistMono } from 'geist/font/mono'
import { GeistSans } from 'geist/font/sans'
import type { Metadata } from 'next'
import { cookies, headers } from 'next/headers'
import { ThemeProvider } from 'next-themes'
import type { ReactNode } from 'react'
import { AddressProvider } from '@/components/shell/address-provider.tsx'
import { preferencesFrom } from '@/components/shell/preferences.ts'
import { TrpcProvider } from '@/components/trpc/trpc-provider.tsx'
import { ZoneProvider } from '@/components/ui/time.tsx'
import { Toaster } from '@/components/ui/toast.tsx'
import { readPageProject } from '@/server/trpc/page.ts'

export const metadata: Metadata = {
  title: { default: 'Signalbox', template: '%s · Signalbox' },
  description: 'Guardrails for agents: edit, watch, audit.',
}

/**
 * `z.config({ jitless: true })` of zod, which reads it whenever a schema is made: no chunk comes before this script. The content security
 * policy forbids eval, and Firefox reports zod's test for it as an error.
 */
const WITHOUT_EVAL = 'globalThis.__zod_globalConfig={jitless:true}'

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const told = await headers()
  const nonce = told.get('x-nonce') ?? undefined
  const project = readPageProject(told)
  const jar = await cookies()
  const zone = jar.get('sb_zone')?.value ?? 'UTC'
  const { density, clock, motion, marks, rail } = preferencesFrom((name) => jar.get(name)?.value)
  return (
    <html
      lang="en"
      suppressHydrationWarning
      className={`${GeistSans.variable} ${GeistMono.variable}`}
      data-project={project ?? undefined}
      data-density={density}
      data-clock={clock}
      data-motion={motion}
      data-marks={marks}
      data-rail={rail}
    >
      <body>
        <script nonce={nonce} suppressHydrationWarning>
          {WITHOUT_EVAL}
        </script>
        <ThemeProvider
          attribute="class"
          defaultTheme="system"
          disableTransitionOnChange
          {...(nonce === undefined ? {} : { nonce })}
        >
          <ZoneProvider zone={isZone(zone) ? zone : 'UTC'} clock={clock}>
            <AddressProvider>
              <TrpcProvider project={project}>{children}</TrpcProvider>
            </AddressProvider>
          </ZoneProvider>
          <Toaster />
        </ThemeProvider>
      </body>
    </html>
  )
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
