#!/usr/bin/env node
// Placed where Prisma looks for its native schema engine when that could not be downloaded. generate, validate and format only need the
// file to exist; the migrate commands need the real engine and report that.
console.error(
  'Prisma\'s schema engine could not be downloaded on this machine. "npm start" applies migrations without it; "prisma migrate" needs network access.',
)
process.exit(1)
